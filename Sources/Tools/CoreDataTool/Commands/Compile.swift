import ArgumentParser
import FoundationEssentials
import StrataModel
import StrataModelFiles

struct Compile: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compile",
        abstract:
            "Writes a model as programs find it among their resources: .momd with its versions and VersionInfo.plist, .mom, or .cdm.")

    @Argument(help: "The path of the .xcdatamodeld, .xcdatamodel or .xcmappingmodel.") var model: String
    @Option(name: .shortAndLong, help: "The path of the .momd, .mom or .cdm to write.") var output: String
    @Option(help: "The module of the classes whose names in the model begin with a dot.") var module: String?

    func run() throws {
        if URL(filePath: model).pathExtension == "xcmappingmodel" {
            return try Data(contentsOf: URL(filePath: model).appending(component: "xcmapping.xml")).write(to: URL(filePath: output))
        }
        let file = try Messages.reporting { try ModelFile(contentsOf: model) }
        guard URL(filePath: output).pathExtension == "momd" else {
            let version = try Messages.reporting { try file.version() }
            _ = try write(version, to: output)
            return
        }
        try? FileManager.default.removeItem(atPath: output)
        try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        var lengths: [String: Int] = [:]
        for version in file.versions { lengths[version.name] = try write(version, to: "\(output)/\(version.name).mom") }
        let info = Data(versionInfo(of: file, lengths).bytes)
        try info.write(to: URL(filePath: output).appending(component: "VersionInfo.plist"))
    }

    /// Writes the source of a version as one file, and returns its length in bytes; `nil` where there is none.
    private func write(_ version: ModelFile.Version, to path: String) throws -> Int? {
        guard var document = version.document else { return nil }
        for index in document.root.children.indices where document.root.children[index].name == "entity" {
            // Xcode's "current product module".
            guard let module, let name = document.root.children[index]["representedClassName"], name.hasPrefix(".") else { continue }
            document.root.children[index]["representedClassName"] = module + name
        }
        let text = Data(document.xml.utf8)
        try text.write(to: URL(filePath: path))
        return text.count
    }

    /// Returns the property list with the current version, and the hashes and the checksums of all that can be read.
    private func versionInfo(of file: ModelFile, _ lengths: [String: Int]) -> PropertyListValue {
        var (hashes, checksums): ([String: PropertyListValue], [String: PropertyListValue]) = ([:], [:])
        for version in file.versions {
            guard let model = try? file.model(version: version.name) else { continue }
            let entities = model.entityVersionHashesByName
            hashes[version.name] = .dictionary(entities.mapValues { .data(Data($0)) })
            checksums[version.name] = .string(Data(VersionHash.checksum(of: entities.mapValues { Array($0) })).base64EncodedString())
        }
        var list: [String: PropertyListValue] = [
            "NSManagedObjectModel_VersionHashes": .dictionary(hashes), "NSManagedObjectModel_VersionChecksums": .dictionary(checksums),
            // The module CoreData reads a file of this length when its version is used.
            "StrataVersionLengths": .dictionary(lengths.mapValues { .int(Int64($0)) }),
        ]
        list["NSManagedObjectModel_CurrentVersionName"] = file.currentVersionName.map { .string($0) }
        return .dictionary(list)
    }
}
