// Dates, data, decimals, UUIDs and URLs, which values and attributes are.
@_exported public import FoundationEssentials
