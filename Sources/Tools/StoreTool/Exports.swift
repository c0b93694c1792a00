@_exported public import StrataValueText
