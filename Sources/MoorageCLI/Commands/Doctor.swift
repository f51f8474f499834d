#if Server
    import ArgumentParser
    import MoorageConfiguration
    import MoorageHub

    struct Doctor: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Says what stands in the way of syncing a central database, with the SQL that mends it.",
            discussion: """
                It looks at the tables of the configuration, else at those that are attached, else at \
                all, and changes nothing: run it before an attach, and whenever something is odd. What \
                each code means is in docs/reference/doctor.md. With a problem the exit code is 1; warnings and \
                notes end with 0. Statements that begin with -- are choices that only you can make.
                """)

        @OptionGroup var options: DatabaseOptions

        @Flag(help: "One JSON object a line.")
        var json = false

        func run() async throws {
            let (address, settings) = try options.load()
            let findings = try await CentralAccess.hub(address, settings)
                .doctor(tables: settings.tables?.map(\.name))
            let console = Console(showsProgress: false)
            let report = DoctorReport(arguments: options.repeated)
            if json {
                findings.forEach { console.print(report.json($0)) }
            } else {
                console.print(report.text(findings))
            }
            let problems = findings.filter { $0.severity == .problem }.count
            guard problems > 0 else { return }
            throw CommandFailure.doctorFound(
                DoctorReport.count(problems, "problem"), in: address.description)
        }
    }
#endif
