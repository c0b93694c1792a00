public import Foundation

// Foundation's method takes optional texts, and so is second to this one wherever texts are given.
extension Bundle {
    /// The place of a resource; `nil` where there is none.
    ///
    /// As Foundation finds it, and a model where only its source is among the resources, since SwiftPM copies models and compiles none: for
    /// `Shop.momd` the place of `Shop.xcdatamodeld`. A model that the main bundle has not is looked for in those of the program's packages.
    public func url(forResource name: String, withExtension ext: String) -> URL? {
        if let url = url(forResource: Optional(name), withExtension: Optional(ext)) { return url }
        guard ext == "momd" || ext == "mom" else { return nil }
        let bundles = self === Bundle.main ? ModelLocator.bundles : [self]
        return bundles.lazy.compactMap { ModelLocator.model(named: name, in: $0) }.first
    }

    /// The path of a resource; `nil` where there is none.
    ///
    /// A model is found as ``url(forResource:withExtension:)`` finds it.
    public func path(forResource name: String, ofType ext: String) -> String? {
        path(forResource: Optional(name), ofType: Optional(ext)) ?? url(forResource: name, withExtension: ext)?.path
    }
}
