import BenchPeers
import BenchReports
import DebianArchive
import Foundation
import StrataWorkload

/// Runs a job in this process, reporting each step as it ends.
struct Measurement {
    var report: (Sample) -> Void

    func run(_ job: Job) async throws {
        guard try worksOnCopy(job) else { return try await measure(job) }
        let copy = URL(fileURLWithPath: job.directory + "-copy")
        try WorkDirectory.copy(URL(fileURLWithPath: job.directory), to: copy)
        defer { try? FileManager.default.removeItem(at: copy) }
        var job = job
        job.directory = copy.path
        try await measure(job)
    }

    private func measure(_ job: Job) async throws {
        switch job.work {
        case .archive(let dataset, let parameters): try await archive(job, dataset: dataset, parameters: parameters)
        case .events(let count): try await events(job, count: count)
        }
    }

    /// Whether the files are to be after the job as they are before it.
    private func worksOnCopy(_ job: Job) throws -> Bool {
        switch job.work {
        case .archive:
            let type = try archiveType(job)
            return job.steps.contains { ArchiveStep(rawValue: $0).map(type.worksOnCopy) ?? false }
        case .events:
            let type = try eventType(job)
            return job.steps.contains { EventStep(rawValue: $0).map(type.worksOnCopy) ?? false }
        }
    }

    private func archiveType(_ job: Job) throws -> any Participant.Type {
        guard let type = Registry.archive.first(where: { $0.name == job.participant }) else {
            throw MeasurementError.unknownParticipant(job.participant)
        }
        return type
    }

    private func eventType(_ job: Job) throws -> any EventParticipant.Type {
        guard let type = Registry.events.flatMap(\.participants).first(where: { $0.name == job.participant }) else {
            throw MeasurementError.unknownParticipant(job.participant)
        }
        return type
    }

    private func archive(_ job: Job, dataset: URL, parameters: URL) async throws {
        let type = try archiveType(job)
        let parameters = try JSONDecoder().decode(ArchiveParameters.self, from: try Data(contentsOf: parameters))
        let participant = try type.init(directory: job.directory)
        var isOpen = false
        for name in job.steps {
            guard let step = ArchiveStep(rawValue: name) else { throw MeasurementError.unknownStep(name) }
            if step == .importing {
                let dataset = try DatasetFile.read(dataset)
                isOpen = await timed(name) { try await participant.importing(dataset) }
                if ServerParticipant.all.contains(job.participant) { try BenchServer.settle() }
            } else if step == .open && !isOpen {
                isOpen = await timed(name) {
                    try await participant.open()
                    return try await participant.perform(step, parameters)
                }
            } else {
                if !isOpen {
                    try await participant.open()
                    isOpen = true
                }
                await timed(name) { try await participant.perform(step, parameters) }
            }
        }
        if isOpen { try await participant.close() }
    }

    private func events(_ job: Job, count: Int) async throws {
        let type = try eventType(job)
        // Drawing keys that are not asked for would count as a part of the start.
        let work = EventWork(count: job.steps == [EventStep.startToPage.rawValue] ? 0 : count)
        let participant = try type.init(directory: job.directory)
        var isOpen = false
        for name in job.steps {
            guard let step = EventStep(rawValue: name) else { throw MeasurementError.unknownStep(name) }
            let events = work.events(for: step)
            if [.insert, .startToPage].contains(step) {
                isOpen = true
            } else if step.needsOpenStore && !isOpen {
                try await participant.open()
                isOpen = true
            }
            if step == .save { try await participant.prepareSave(events) }
            switch step {
            case .startToPage: await startToPage(participant, work, since: job.started ?? ProcessInfo.processInfo.systemUptime)
            case .pagesBesideWriter: await pagesBesideWriter(participant, work)
            default:
                await timed(name, repetitions: step.repetitions, keeping: participant) {
                    try await participant.perform(step, work, events: events)
                }
            }
            if step == .insert, ServerParticipant.all.contains(job.participant) { try BenchServer.settle() }
        }
        if isOpen { try await participant.close() }
    }

    private func startToPage(_ participant: any EventParticipant, _ work: EventWork, since started: Double) async {
        await timed(EventStep.startToPage.rawValue, since: started) {
            try await participant.open()
            return try await participant.perform(.startToPage, work, events: [])
        }
    }

    private func pagesBesideWriter(_ participant: any EventParticipant, _ work: EventWork) async {
        var slowest = 0.0
        var found: Answer?
        await timed(EventStep.pagesBesideWriter.rawValue) {
            let pages = try await PagesBesideWriter(participant, work)
            (slowest, found) = (pages.percentile(99), pages.answer)
            return pages.answer
        }
        // Pages take longer where calls are counted.
        if Counter.counts != nil || found == nil { return }
        report(Sample(step: EventStep.slowestPages.rawValue, seconds: slowest, answer: found))
    }

    @discardableResult
    private func timed(
        _ step: String,
        since started: Double? = nil,
        repetitions: Int = 1,
        keeping: (any EventParticipant)? = nil,
        _ body: () async throws -> Answer
    ) async -> Bool {
        ProcessMemory.resetPeak()
        let (before, least) = (ProcessMemory.resident, ProcessMemory.peak)
        let clock = ContinuousClock()
        let counted = Counter.counts
        let start = clock.now
        var answer: Answer?
        var failure: String?
        do {
            answer = try await body()
        } catch {
            failure = "\(error)"
        }
        let time = (clock.now - start) / .seconds(1)
        let seconds = started.map { ProcessInfo.processInfo.systemUptime - $0 } ?? time
        let counts = counted.flatMap { before in Counter.counts.map { ($0 - before) / repetitions } }
        let kept = keeping?.kept == nil ? 0 : max(ProcessMemory.resident - before, 0)
        let peak = ProcessMemory.peak
        keeping?.kept = nil
        report(
            Sample(
                step: step,
                seconds: seconds,
                memory: Sample.Memory(peak: peak, grown: max(peak - least, 0), kept: kept),
                answer: answer,
                failure: failure,
                counts: counts
            )
        )
        return failure == nil
    }
}
