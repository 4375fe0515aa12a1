//! Development only: fake model providers that speak the vendors' wires over real HTTP, and check what they
//! are sent.
