import Foundation
import StrataTestSupport
import Testing

@Suite("The command: serve") struct ServeTests {
    private let directory: TemporaryDirectory
    private let strata: String

    init() throws {
        directory = try TemporaryDirectory()
        strata = directory.file("strata")
        // Beside the command of the tests there may be an inspector.
        try FileManager.default.copyItem(atPath: ChildProcess.executable("strata"), toPath: strata)
    }

    private func inspector(in folder: String) throws {
        let path = "\(folder)/strata-inspector"
        try Data("#!/bin/sh\necho \"$*\"\nexit 3\n".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }

    private func run(path: String) throws -> CommandRun {
        try CommandRun(["serve", "a store", "--port", "0"], executable: strata, environment: ["PATH": path])
    }

    @Test("serve runs the inspector beside itself, with the arguments and its exit code") func beside() throws {
        try inspector(in: directory.path)
        let run = try run(path: "/bin:/usr/bin")
        #expect(run.status == 3)
        #expect(run.output == "a store --port 0\n")
    }

    @Test("serve runs the inspector on the PATH") func onPath() throws {
        let other = try TemporaryDirectory()
        try inspector(in: other.path)
        #expect(try run(path: "/bin::\(other.path)").output == "a store --port 0\n")
    }

    @Test("Where there is no inspector, serve prints how to make it") func missing() throws {
        let run = try run(path: "/bin")
        #expect(run.status == 69)
        #expect(
            run.errors
                == "error: strata-inspector is neither beside strata nor on the PATH: swift build -c release --package-path Inspector --product strata-inspector makes it\n"
        )
    }
}
