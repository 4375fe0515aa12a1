//! Text to vector: local weights and the forward pass over them, or an endpoint. Who asks, and what for, is left to others.
