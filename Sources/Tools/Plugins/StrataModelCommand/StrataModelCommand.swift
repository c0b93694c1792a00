import Foundation
import PackagePlugin

/// Runs the tool for models: `swift package strata-model draw Shop.xcdatamodeld`.
@main struct StrataModelCommand: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let tool = try context.tool(named: "strata-model")
        let process = Process()
        process.executableURL = tool.url
        process.arguments = arguments
        process.currentDirectoryURL = context.package.directoryURL
        try process.run()
        process.waitUntilExit()
        if process.terminationReason != .exit || process.terminationStatus != 0 {
            // The tool has printed the errors.
            exit(process.terminationReason == .exit ? process.terminationStatus : 1)
        }
    }
}
