/** JavaScript in, JavaScript out. Throws on what is none. */
export function withSharedShapes(code: string): string;
