import DebianArchive
import Foundation

extension GRDBRecords.Version {
    init(_ row: DebianArchive.Version) {
        id = row.id
        package = row.package
        section = row.section
        maintainer = row.maintainer
        version = row.version
        architecture = row.architecture
        priority = row.priority
        summary = row.summary
        homepage = row.homepage
        installedSize = row.installedSize
        size = row.size
        sha256 = Data(row.sha256)
    }
}
