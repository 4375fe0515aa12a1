//! The pure tests of this room.
