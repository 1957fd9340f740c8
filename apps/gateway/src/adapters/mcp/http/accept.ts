/** Does an Accept header (RFC 9110 12.5.1) take this media type? Absent, it names none: MCP wants it said. */
export function accepts(accept: string | undefined, type: string): boolean {
  const [kind = ''] = type.split('/');
  const taken = new Set([type, `${kind}/*`, '*/*']);
  return (accept ?? '').split(',').some((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return taken.has(name) && !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
  });
}
