const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openArray = 0x5b;
const backslash = 0x5c;
const closeArray = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;
const space = 0x20;
const longestToken = 64;

/**
 * Finds the top-level member `id` of a JSON object that is too long to keep, from its bytes as they pass: bounded
 * memory, linear time, wherever in the object the member stands.
 */
export class IdFinder {
  private depth = 0;
  private inString = false;
  private escaped = false;
  /** The name or value at depth 1 that is being read. */
  private token = '';
  private name = '';
  private foundId: number | undefined;

  get id(): number | undefined {
    return this.foundId;
  }

  feed(bytes: Uint8Array): void {
    for (let index = 0; index < bytes.length && this.foundId === undefined; index += 1) {
      const code = bytes[index] ?? 0;
      if (this.inString) this.inside(code);
      else this.outside(code);
    }
  }

  private inside(code: number): void {
    if (this.escaped) this.escaped = false;
    else if (code === backslash) this.escaped = true;
    else if (code === quote) {
      this.inString = false;
      return;
    }
    if (this.depth === 1) this.keep(code);
  }

  private outside(code: number): void {
    switch (code) {
      case quote:
        this.inString = true;
        if (this.depth === 1) this.token = '';
        return;
      case openObject:
      case openArray:
        this.depth += 1;
        return;
      case closeObject:
      case closeArray:
        if (this.depth === 1) this.endOfMember();
        this.depth -= 1;
        return;
      case colon:
        if (this.depth !== 1) return;
        this.name = this.token;
        this.token = '';
        return;
      case comma:
        if (this.depth === 1) this.endOfMember();
        return;
    }
    if (this.depth === 1 && code > space) this.keep(code);
  }

  private keep(code: number): void {
    if (this.token.length <= longestToken) this.token += String.fromCharCode(code);
  }

  private endOfMember(): void {
    const id = Number(this.token);
    if (this.name === 'id' && this.token !== '' && Number.isSafeInteger(id)) this.foundId = id;
    this.name = '';
    this.token = '';
  }
}
