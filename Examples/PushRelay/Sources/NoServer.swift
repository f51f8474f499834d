#if !Server
    import Foundation

    /// The package was built without its trait `Server`.
    @main
    enum NoServer {
        static func main() {
            let text = """
                PushRelay: this build cannot serve: the package trait `Server` is off.
                  next: Build it with the server: swift build --traits Server --product PushRelay

                """
            FileHandle.standardError.write(Data(text.utf8))
            exit(1)
        }
    }
#endif
