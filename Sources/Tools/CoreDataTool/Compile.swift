import ArgumentParser
import Foundation
import StrataModel
import StrataModelFiles

struct Compile: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Writes a model as programs find it among their resources: .momd with its versions and VersionInfo.plist, .mom, or .cdm.")

    @Argument(help: "The path of the .xcdatamodeld, .xcdatamodel or .xcmappingmodel.") var model: String
    @Option(name: .shortAndLong, help: "The path of the .momd, .mom or .cdm to write.") var output: String

    func run() throws {
        if URL(filePath: model).pathExtension == "xcmappingmodel" {
            return try Data(contentsOf: URL(filePath: model).appending(component: "xcmapping.xml")).write(to: URL(filePath: output))
        }
        let file = try Messages.reporting { try ModelFile(contentsOf: model) }
        guard URL(filePath: output).pathExtension == "momd" else {
            let version = try Messages.reporting { try file.version() }
            return try write(version, to: output)
        }
        try? FileManager.default.removeItem(atPath: output)
        try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
        for version in file.versions { try write(version, to: "\(output)/\(version.name).mom") }
        try versionInfo(of: file).write(to: URL(filePath: output).appending(component: "VersionInfo.plist"))
    }

    /// Writes the source of a version as one file.
    private func write(_ version: ModelFile.Version, to path: String) throws {
        guard let document = version.document else { return }
        try Data(document.xml.utf8).write(to: URL(filePath: path))
    }

    /// Returns the property list with the current version, and the hashes and the checksums of all that can be read.
    private func versionInfo(of file: ModelFile) throws -> Data {
        var hashes: [String: [String: Data]] = [:]
        for version in file.versions {
            guard let model = try? file.model(version: version.name) else { continue }
            hashes[version.name] = model.entityVersionHashesByName.mapValues { Data($0) }
        }
        var list: [String: Any] = [
            "NSManagedObjectModel_VersionHashes": hashes,
            "NSManagedObjectModel_VersionChecksums": hashes.mapValues { entities in
                Data(VersionHash.checksum(of: entities.mapValues { Array($0) })).base64EncodedString()
            },
        ]
        list["NSManagedObjectModel_CurrentVersionName"] = file.currentVersionName
        return try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    }
}
