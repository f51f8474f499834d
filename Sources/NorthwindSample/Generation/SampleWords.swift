/// The words that names are made from. Some contain what a sync has to get right: accents in both
/// Unicode forms, apostrophes, quotes, scripts that are not Latin.
enum SampleWords {
    struct Place: Sendable {
        let city: String
        let region: String?
        let country: String
        let postalPrefix: String
    }

    static let places: [Place] = [
        Place(city: "Brackwell", region: "Kent", country: "UK", postalPrefix: "BR"),
        Place(city: "Lindvik", region: nil, country: "Norway", postalPrefix: "0"),
        Place(city: "Sankt Ölberg", region: nil, country: "Austria", postalPrefix: "40"),
        Place(city: "Münsterau", region: nil, country: "Germany", postalPrefix: "06"),
        Place(city: "Grünfeld", region: nil, country: "Germany", postalPrefix: "99"),
        Place(city: "Évreux-Bois", region: nil, country: "France", postalPrefix: "27"),
        Place(city: "Ve\u{301}laux", region: nil, country: "France", postalPrefix: "13"),
        Place(city: "Porto Novo", region: "SP", country: "Brazil", postalPrefix: "05"),
        Place(city: "São Tomás", region: "RJ", country: "Brazil", postalPrefix: "02"),
        Place(city: "Cañada Honda", region: "Táchira", country: "Venezuela", postalPrefix: "50"),
        Place(city: "Ciudad Alta", region: nil, country: "Mexico", postalPrefix: "050"),
        Place(city: "Fairhaven", region: "WA", country: "USA", postalPrefix: "98"),
        Place(city: "Cedar Point", region: "OR", country: "USA", postalPrefix: "97"),
        Place(city: "Port O'Brien", region: "BC", country: "Canada", postalPrefix: "V3"),
        Place(city: "Łęczno", region: nil, country: "Poland", postalPrefix: "01"),
        Place(city: "Åsele", region: nil, country: "Sweden", postalPrefix: "S-"),
        Place(city: "Kyritsalo", region: nil, country: "Finland", postalPrefix: "00"),
        Place(city: "L'Aquilone", region: "", country: "Italy", postalPrefix: "10"),
        Place(city: "札幌", region: "北海道", country: "Japan", postalPrefix: "060"),
    ]

    static let firstNames = [
        "Ada", "Béla", "Chloé", "Dorte", "Emil", "Fatou", "Grete", "Håkon", "Ines", "Jürgen",
        "Kaja", "Luís", "Maren", "Noor", "Oskar", "Paula", "Quirin", "Rene\u{301}", "Søren",
        "Tomoko", "Ulla", "Vera", "Wim", "Xenia", "Yann", "Zoë",
    ]

    static let lastNames = [
        "Abel", "Brandvold", "Castañeda", "D'Amico", "Ekström", "Fontaine", "Grünewald", "Hollis",
        "Iversen", "Jansen", "Kowalczyk", "Lefèvre", "Mørk", "Novak", "O'Leary", "Peña", "Quist",
        "Ribeiro", "Sørensen", "Tanaka", "Usher", "Varga", "Weiß", "Yıldız", "Zweig",
    ]

    static let companyWords = [
        "Anker", "Blauwal", "Côte", "Delphin", "Estrela", "Fjord", "Granit", "Harbour", "Île",
        "Juniper", "Kontor", "Laguna", "Meridian", "Nordlys", "Oliva", "Perle", "Quai", "Regatta",
        "Süd", "Tide", "Umbra", "Vela", "Windrose", "Zephyr",
    ]

    static let companyKinds = [
        "& Söhne", "Handel", "Import", "Market", "Foods", "Delikatessen", "et Fils", "Ltd.",
        "Comércio", "Trading", "\"Das Beste\"", "Kjøkken",
    ]

    static let titles = [
        "Owner", "Order Administrator", "Sales Agent", "Marketing Manager", "Accounting Manager",
        "Sales Representative",
    ]

    static let streets = [
        "Hafenstraße", "Rue de l'Écluse", "Quay Lane", "Avenida do Mar", "Via del Porto",
        "Strandgata", "Calle Ancha", "Mill Road", "Kanalgatan",
    ]

    static let categories: [(name: String, description: String)] = [
        ("Beverages", "Coffees, teas, juices, beers"), ("Condiments", "Sauces, relishes, \"dips\""),
        ("Confections", "Desserts and sweets"), ("Dairy", "Cheeses\nand what goes with them"),
        ("Grains", "Breads, crackers, pasta, cereal"), ("Meat", "Prepared meats"),
        ("Produce", "Dried fruit, bean curd – tofu"), ("Seafood", "Seaweed and fish 🐟"),
    ]

    static let productWords = [
        "Amber", "Bitter", "Crème", "Dunkel", "Espresso", "Fennel", "Ginger", "Honey", "Île",
        "Jäger", "Käse", "Lemon", "Maple", "Nougat", "Olive", "Pepper", "Quince", "Rösti", "Smoked",
        "Trüffel", "Vanilla", "Wild",
    ]

    static let productKinds = [
        "Ale", "Bread", "Chutney", "Drops", "Fish", "Jam", "Marinade", "Noodles", "Pâté", "Sauce",
        "Tea", "Wafers",
    ]

    static let units = [
        "10 boxes x 20 bags", "24 - 12 oz bottles", "1 kg pkg.", "50 bags x 30 sausgs.",
        "48 - 6 oz jars", "12 - 550 ml bottles",
    ]

    static let notes = [
        "Reads French and writes Italian.\nJoined from the harbour office.",
        "Speaks five languages – none of them in the morning.\r\nMember of the sailing club.",
        "Has a degree in \"cold calls\" and a boat.", "Prefers tea; says so.\n\n(See file 0042.)",
    ]
}
