// What the suite runs as its client: one line to the product's operator (operator.mjs), who registers the server and uses it.
const url = process.argv.at(-1);
const {
  UAR_CONFORMANCE_OPERATOR: operator,
  MCP_CONFORMANCE_SCENARIO: scenario,
  MCP_CONFORMANCE_CONTEXT,
} = process.env;
const context = MCP_CONFORMANCE_CONTEXT === undefined ? {} : JSON.parse(MCP_CONFORMANCE_CONTEXT);
const answer = await fetch(operator, { method: 'POST', body: JSON.stringify({ url, scenario, context }) });
process.stdout.write(`${await answer.text()}\n`);
process.exitCode = answer.ok ? 0 : 1;
