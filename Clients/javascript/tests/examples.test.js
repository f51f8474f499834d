// The example pages, with as much of a document as they use, and a hub in JavaScript.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { describe } from "../examples/common.js";
import { MemoryStore, openReplica } from "../moorage.js";
import { eventually } from "./support/device.js";
import { refusal, ScriptedHub, table } from "./support/scripted-hub.js";

class Element {
  constructor(tag) {
    Object.assign(this, { tag, children: [], textContent: "", value: "" });
  }

  append(...children) { this.children.push(...children); }

  replaceChildren(...children) { this.children = children; }

  contains() { return false; }

  /** All text in it. */
  get text() {
    return this.textContent + this.children.map((child) => child.text ?? child).join(" ");
  }

  find(tag) {
    const elements = this.children.filter((child) => child instanceof Element);
    return elements.flatMap((child) =>
      [...(child.tag === tag ? [child] : []), ...child.find(tag)]);
  }
}

/** Runs the script of a page. */
async function run(name, hub, { hash = "", answers = ["a-secret-of-the-tests"] } = {}) {
  const page = readFileSync(new URL(`../examples/${name}`, import.meta.url), "utf8");
  const [, script] = /<script type="module">(.*)<\/script>/s.exec(page);
  const elements = new Map();
  const document = {
    createElement: (tag) => new Element(tag),
    querySelector(selector) {
      if (!elements.has(selector)) elements.set(selector, new Element(selector));
      return elements.get(selector);
    },
  };
  const opened = [];
  const given = [];
  const questions = [];
  const open = async (options) => {
    given.push(options);
    const replica = await openReplica({
      ...options, store: new MemoryStore(), environment: { fetch: hub.fetch },
    });
    opened.push(replica);
    return replica;
  };
  const make = (tag, content) => Object.assign(document.createElement(tag), content);
  const body = script.replace(/import .*?;\n/g, "");
  const start = new (Object.getPrototypeOf(async () => {}).constructor)(
    "openReplica", "describe", "make", "document", "location", "prompt", "alert", body);
  const alerts = [];
  const prompt = (question) => {
    questions.push(question);
    return answers[questions.length - 1] ?? null;
  };
  await start(open, describe, make, document, { hash }, prompt, (text) => alerts.push(text));
  return {
    $: document.querySelector, replica: opened[0], alerts, questions, options: given[0],
  };
}

test("the page of things to do adds, checks and deletes", async () => {
  const hub = new ScriptedHub(
    [table("todos", { id: "uuid!", title: "text!", done: "boolean!=0" })]);
  const { $, replica } = await run("todo.html", hub);
  await $("form").onsubmit({
    preventDefault() {}, target: { elements: { title: { value: "Buy milk" } } },
  });
  await eventually(() => $("ul").text.includes("Buy milk") && $("#status").text === "Up to date");
  await eventually(() => hub.rows("todos").length === 1);
  const [box] = $("ul").find("input");
  box.onchange({ target: { checked: true } });
  await eventually(() => hub.rows("todos")[0][2] === 1);
  await eventually(() => $("ul").find("li")[0].className === "done");
  $("ul").find("button")[0].onclick();
  await eventually(() => hub.rows("todos").length === 0 && $("ul").children.length === 0);
  await replica.stop();
});

test("the page of orders edits, inserts a group, and shows what was refused", async () => {
  const hub = new ScriptedHub([
    table("customers", { customer_id: "text!", company_name: "text!" }),
    table("orders", {
      order_id: "integer!", customer_id: "text", ship_city: "text", ship_country: "text",
      freight: "decimal",
    }, { keyBlock: 10 }),
    table("order_details", {
      order_id: "integer!", product_id: "integer!", unit_price: "decimal", quantity: "integer",
      discount: "decimal",
    }, { key: [0, 1] }),
  ]);
  hub.put("customers", ["ALFKI"], ["ALFKI", "Alfreds"]);
  hub.put("orders", [7], [7, "ALFKI", "Lyon", "France", "9.80"]);
  const { $, replica, alerts } = await run("orders.html", hub);
  const isUpToDate = () => $("#status").text === "Up to date";
  await eventually(() => $("tbody").text.includes("Alfreds") && isUpToDate());
  const [city, freight] = $("tbody").find("input");
  city.onchange({ target: { value: "Nice" } });
  await eventually(() => hub.row("orders", [7])[2] === "Nice");
  hub.refuse = (name, change) => (change.update ? ["check", "Freight is too high."] : undefined);
  await eventually(isUpToDate);
  freight.onchange({ target: { value: "1000" } });
  await eventually(() => $(".lists").text.includes("Freight is too high."));
  $(".lists").find("button")[1].onclick();
  await eventually(() => $(".lists").children.length === 0);
  freight.onchange({ target: { value: "no number" } });
  await eventually(() => alerts.length === 1);
  await $("#add").onclick();
  await eventually(() => hub.rows("order_details").length === 1);
  await eventually(() => $("tbody").find("tr").length === 2);
  const [first] = $("tbody").find("input");
  assert.equal(first.value, "Lindvik");
  await replica.stop();
});

for (const name of ["todo.html", "orders.html"]) {
  test(`${name} keeps a store for each hub, and asks once for its secret`, async () => {
    const hub = new ScriptedHub([table("todos", { id: "uuid!", title: "text!" })]);
    hub.intercept = async (path, content, { headers }) => (
      headers.Authorization === "Bearer right" ? undefined : refusal("unauthorized", 401));
    const names = new Set();
    for (const host of ["one", "two"]) {
      const { replica, questions, options } = await run(
        name, hub, { hash: `#hub=https://${host}.example`, answers: ["wrong", "right"] });
      await replica.sync();
      await replica.sync();
      assert.equal(questions.length, 2);
      assert.match(questions[0], new RegExp(`${host}.example`));
      names.add(options.name);
      await replica.close();
    }
    assert.equal(names.size, 2);
    // Whoever answers nothing is not asked again and again.
    const { replica, questions } = await run(name, hub, { answers: [] });
    for (let tries = 0; tries < 3; tries += 1) await replica.sync().catch(() => {});
    assert.equal(questions.length, 1);
    await replica.close();
  });
}
