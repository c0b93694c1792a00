import ArgumentParser
import DebianArchive
import Foundation

struct SampleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample",
        abstract: "Picks a sample from a package index whose dependencies mostly stay within it."
    )

    @Option(help: ArgumentHelp("A package index; without it, this machine's.", valueName: "file"))
    var archive: String?

    @Option(help: "How many packages.")
    var count = 2_000

    @Argument(help: "The packages to start from.")
    var roots = [
        "git", "python3", "gimp", "vim", "openssh-server", "postgresql", "nethack-console", "libreoffice-writer", "inkscape",
        "build-essential", "vlc",
    ]

    func run() async throws {
        let source = archive.map { ArchiveSource.file($0) } ?? .machine
        let sample = ArchiveSample.pick(count, from: try source.read().stanzas, roots: roots)
        print(sample.map(\.text).joined(separator: "\n"), terminator: "")
    }
}
