// The modules whose types the declarations of this one name.
@_exported public import StrataModel
@_exported public import StrataQuery
