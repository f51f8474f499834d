// The types of other modules that an app meets in this one's API. `import Moorage` is enough for
// them, and no other name of those modules comes along (decision 0086).
@_exported public import struct MoorageCore.RowKey
@_exported public import struct MoorageCore.Refusal
@_exported public import enum MoorageCore.ScopePriority
@_exported public import enum MoorageCore.Value
@_exported public import struct MoorageWire.DirectConnection
@_exported public import struct MoorageWire.HubError
