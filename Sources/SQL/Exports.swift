// The boundary that stores are built for, whose types the declarations of this module name.
@_exported public import StrataStore
