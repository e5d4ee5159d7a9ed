use mge_core::StateTable;

/// A tool's capabilities cannot be told apart.
pub(crate) const ERR_TOOL_CAPS: i32 = -5;
/// An item failed while it was piloted.
pub(crate) const ERR_PILOTING: i32 = -4;
/// What is exposed cannot be.
pub(crate) const ERR_EXPOSING: i32 = -3;
/// Tools are missing, doubled or circular.
pub(crate) const ERR_LINKING: i32 = -2;
/// An item could not be built.
pub(crate) const ERR_LOADING_OBJ: i32 = -1;
/// Nothing is done.
pub(crate) const INITIAL: i32 = 0;
/// Every item is built.
pub(crate) const LOADED_OBJ: i32 = 1;
/// Every item has its tools.
pub(crate) const LINKED_OBJ: i32 = 2;
/// The exposed capabilities are known.
pub(crate) const EXPOSED_API: i32 = 3;
/// Some items are not ready.
pub(crate) const PILOT_REQUIRED: i32 = 4;
/// Every item is ready.
pub(crate) const TOOLS_ARE_READY: i32 = 5;
/// Every capability of every item is known: requests run.
pub(crate) const ALL_READY: i32 = 100;

/// The states of an endpoint.
pub static STATES: StateTable = StateTable {
    entries: &[
        (ERR_TOOL_CAPS, "ERR_TOOL_CAPS"),
        (ERR_PILOTING, "ERR_PILOTING"),
        (ERR_EXPOSING, "ERR_EXPOSING"),
        (ERR_LINKING, "ERR_LINKING"),
        (ERR_LOADING_OBJ, "ERR_LOADING_OBJ"),
        (INITIAL, "INITIAL"),
        (LOADED_OBJ, "LOADED_OBJ"),
        (LINKED_OBJ, "LINKED_OBJ"),
        (EXPOSED_API, "EXPOSED_API"),
        (PILOT_REQUIRED, "PILOT_REQUIRED"),
        (TOOLS_ARE_READY, "TOOLS_ARE_READY"),
        (ALL_READY, "ALL_READY"),
    ],
};
