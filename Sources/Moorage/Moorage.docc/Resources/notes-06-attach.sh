moorage schema app anna.db --output moorage.schema.json
moorage attach sqlite:central.db --from moorage.schema.json
