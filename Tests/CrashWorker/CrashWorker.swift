@main enum CrashWorker { static func main() {} }
