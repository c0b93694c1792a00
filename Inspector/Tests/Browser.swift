import Foundation

/// Debian's chromium without a window, driven over its debugging protocol.
final class Browser {
    /// What a page shows.
    struct Shown: Sendable {
        let title: String
        let width: Int
        let scrollWidth: Int
        let live: String
        /// Errors and violations of the policy.
        let problems: [String]
    }

    struct Failure: Error { let message: String }

    /// Whether chromium is installed, and runs within the limits of this process.
    static let isInstalled: Bool = {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/chromium")
        process.arguments = flags + ["--dump-dom", "about:blank"]
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    private static let flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"]

    private let process = Process()
    private let requests = Pipe()
    private var answers: AsyncStream<String>.Iterator
    private var number = 0
    private var session: String?
    private var problems: [String] = []
    private let folder = FileManager.default.temporaryDirectory.appending(path: "browser-\(UUID())").path

    init() async throws {
        let output = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        // Its requests come over descriptor 3, its answers go over 4.
        process.arguments =
            ["-c", "exec 3<&0 4>&1 >/dev/null 2>&1 && exec \"$@\"", "sh", "/usr/bin/chromium"] + Browser.flags
            + ["--user-data-dir=\(folder)", "--remote-debugging-pipe", "about:blank"]
        process.standardInput = requests
        process.standardOutput = output
        answers = output.fileHandleForReading.parts(endedBy: 0).makeAsyncIterator()
        try process.run()
        let target = try await call("Target.createTarget", ["url": "about:blank"])["targetId"] as? String ?? ""
        session = try await call("Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"] as? String
        for domain in ["Page", "Runtime", "Log"] { _ = try await call("\(domain).enable") }
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Opens a page in a window of a width, dark or light, and waits until it listens for changes.
    func open(_ address: String, width: Int, height: Int = 900, isDark: Bool = false) async throws -> Shown {
        problems = []
        _ = try await call(
            "Emulation.setDeviceMetricsOverride", ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": false])
        _ = try await call(
            "Emulation.setEmulatedMedia", ["features": [["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]]])
        _ = try await call("Page.navigate", ["url": address])
        var live = ""
        for _ in 0..<200 where live.isEmpty {
            try await Task.sleep(for: .milliseconds(20))
            live =
                try await evaluate("document.readyState == 'complete' ? document.getElementById('live')?.textContent ?? '' : ''") as? String
                ?? ""
        }
        return Shown(
            title: try await evaluate("document.title") as? String ?? "",
            width: try await evaluate("document.documentElement.clientWidth") as? Int ?? 0,
            scrollWidth: try await evaluate("document.documentElement.scrollWidth") as? Int ?? .max, live: live, problems: problems)
    }

    /// Returns the value of an expression in the page; a promise is waited for.
    func evaluate(_ expression: String) async throws -> Any? {
        let result = try await call("Runtime.evaluate", ["expression": expression, "returnByValue": true, "awaitPromise": true])
        return (result["result"] as? [String: Any])?["value"]
    }

    /// Sends a key to the page.
    func press(_ key: String, text: String? = nil) async throws {
        for type in ["keyDown", "keyUp"] {
            var event: [String: Any] = ["type": type, "key": key]
            if key == "Tab" { event["windowsVirtualKeyCode"] = 9 }
            if key == "Enter" { event["windowsVirtualKeyCode"] = 13 }
            if let text, type == "keyDown" { event["text"] = text }
            _ = try await call("Input.dispatchKeyEvent", event)
        }
    }

    /// Writes a picture of the page.
    func picture(to path: String) async throws {
        let data = try await call("Page.captureScreenshot", ["format": "png"])["data"] as? String ?? ""
        try Data(base64Encoded: data)?.write(to: URL(filePath: path))
    }

    private func call(_ method: String, _ parameters: [String: Any] = [:]) async throws -> [String: Any] {
        number += 1
        var request: [String: Any] = ["id": number, "method": method, "params": parameters]
        if let session { request["sessionId"] = session }
        try requests.fileHandleForWriting.write(contentsOf: try JSONSerialization.data(withJSONObject: request) + [0])
        while let text = await answers.next() {
            guard let answer = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else { continue }
            note(answer)
            guard answer["id"] as? Int == number else { continue }
            if let error = answer["error"] { throw Failure(message: "\(method): \(error)") }
            return answer["result"] as? [String: Any] ?? [:]
        }
        throw Failure(message: "chromium ended")
    }

    private func note(_ event: [String: Any]) {
        let parameters = event["params"] as? [String: Any] ?? [:]
        switch event["method"] as? String {
        case "Runtime.exceptionThrown", "Page.javascriptDialogOpening", "Inspector.targetCrashed": problems.append("\(parameters)")
        case "Log.entryAdded":
            let entry = parameters["entry"] as? [String: Any] ?? [:]
            // The answer to a malformed request is an error of the network, too.
            if entry["source"] as? String != "network" { problems.append("\(entry["text"] ?? "")") }
        default: break
        }
    }
}
