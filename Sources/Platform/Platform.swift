// The system's C library, which every other module imports from here: `make lint` rejects its name elsewhere.

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
