import StrataPlatform

/// The preloaded library that makes calls fail, where there is one.
enum Shim {
    private typealias Setter = @convention(c) (UnsafePointer<CChar>) -> Void

    private static let setPlan = function("strata_shim_plan", as: Setter.self)
    private static let setMark = function("strata_shim_mark", as: Setter.self)

    static var isLoaded: Bool { setPlan != nil }

    /// Starts to count calls with a plan; the library describes them.
    static func plan(_ text: String) { setPlan?(text) }

    /// Puts a text into the recording.
    static func mark(_ text: String) { setMark?(text) }

    /// A function of the C library or of a preloaded one.
    static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        // The default search order has the null handle, for which C has a macro only.
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }
}
