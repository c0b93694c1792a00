// The C library of the system, which every other module takes from here: `make lint` refuses its name elsewhere.

#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#elseif canImport(Android)
    @_exported public import Android
#elseif canImport(Darwin)
    @_exported public import Darwin
#else
    #error("The C library of this system is unknown.")
#endif
