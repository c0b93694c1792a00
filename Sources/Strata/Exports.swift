@_exported import StrataCoordinator
@_exported import StrataGraph
@_exported import StrataModel
@_exported import StrataQuery
@_exported import StrataStore
@_exported import StrataText
