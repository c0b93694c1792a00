import Testing

/// Runs the tests, all of which are written with Swift Testing.
///
/// A package without this file has its tests searched for those of XCTest, in the index of all modules: writing it takes a twelfth of the build.
@main
enum Tests {
    static func main() async {
        guard CommandLine.arguments.contains("swift-testing") else { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
