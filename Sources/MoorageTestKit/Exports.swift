// A test needs the sandbox with every trait: one import is enough.
@_exported public import MoorageSandbox
