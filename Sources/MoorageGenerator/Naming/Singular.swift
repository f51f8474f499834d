/// The singular of English words, as tables are named. A word that follows no rule stays as it is.
enum Singular {
    private static let irregular = [
        "people": "person", "children": "child", "men": "man", "women": "woman",
        "feet": "foot", "mice": "mouse", "indices": "index", "vertices": "vertex",
        "matrices": "matrix", "criteria": "criterion", "movies": "movie", "cookies": "cookie",
        "leaves": "leaf", "shelves": "shelf", "knives": "knife", "lives": "life",
        "wolves": "wolf", "halves": "half", "quizzes": "quiz", "ties": "tie", "dies": "die",
        "shoes": "shoe", "caches": "cache", "axes": "axis", "analyses": "analysis",
        "buses": "bus", "viruses": "virus", "campuses": "campus", "bonuses": "bonus",
        "statuses": "status", "aliases": "alias", "gases": "gas",
    ]
    private static let unchanged: Set = [
        "news", "series", "species", "data", "media", "metadata", "address", "status", "alias",
        "always", "canvas", "atlas", "bus", "gas", "lens", "sms", "gps", "analysis", "basis",
        "axis", "virus", "campus", "bonus", "sales", "goods", "settings",
    ]

    static func of(_ word: String) -> String {
        if let known = irregular[word] { return known }
        if unchanged.contains(word) || word.count < 3 { return word }
        if word.hasSuffix("ies") { return word.dropLast(3) + "y" }
        for ending in ["sses", "shes", "ches", "xes", "zzes", "oes"] where word.hasSuffix(ending) {
            return String(word.dropLast(2))
        }
        for ending in ["ss", "us", "is"] where word.hasSuffix(ending) { return word }
        return word.hasSuffix("s") ? String(word.dropLast()) : word
    }
}
