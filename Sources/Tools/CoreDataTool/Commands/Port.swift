import ArgumentParser
import StrataCoreDataCode

struct Port: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "port", abstract: "Changes sources that were written for Apple's systems so that they compile on others, too.",
        discussion: "Attributes that need Objective-C get conditions around them. What is to be changed by hand is listed.")

    @OptionGroup var target: TargetArguments
    @Flag(help: "Shows what would be changed, and changes nothing.") var dryRun = false
    @Flag(help: "Assumes that the target depends on the module CoreData.") var usesCoreData = false
    @Option(help: "The folder that paths are shown from.") var root = ""

    func run() throws {
        let module = try target.sourceModule()
        let porter = SourcePorter(
            module: module, dependencies: try target.importedModules(by: module), models: try target.coreDataModels(),
            usesCoreData: usesCoreData)
        for file in module.files {
            let ported = porter.port(file)
            if dryRun {
                print(UnifiedDiff.text(from: file.text, to: ported.text, path: shown(file.path)), terminator: "")
            } else if ported.isChanged {
                try Files.write(ported.text, to: file.path)
                print("\(shown(file.path)): changed")
            }
            for remark in ported.remarks {
                print(
                    "\(shown(remark.location.path)):\(remark.location.line):\(remark.location.column): \(remark.subject): \(remark.remedy)")
            }
        }
    }

    private func shown(_ path: String) -> String {
        let prefix = root.hasSuffix("/") || root.isEmpty ? root : root + "/"
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
    }
}
