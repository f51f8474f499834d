#if !Server
    import Foundation

    /// The package was built without its trait `Server`.
    @main
    enum NoServer {
        static func main() {
            let text = """
                moorage: this build has no commands: the package trait `Server` is off.
                  next: Build it with the server: swift build --traits Server --product moorage

                """
            FileHandle.standardError.write(Data(text.utf8))
            exit(1)
        }
    }
#endif
