import { itemId, itemIdMembers, publicName } from '@uar/catalog';
import type { ItemListName } from '@uar/contracts';
import { elementSpans, memberSpans, memberString, withMember } from '@uar/json-text';

/** RFC 3986, section 3.1. */
const scheme = /^[A-Za-z][A-Za-z0-9+.-]*(?=:)/;
const uniqueForm = /^(?:ui:\/\/)?uar\+([a-z0-9-]+)\+(.*)$/s;
const ui = 'ui://';
/** What `publicName` ends in where it kept not all of the raw name. */
const changedName = /_[0-9a-f]{8}$/;

/**
 * A URI or URI template of an upstream where those of several meet (ADR 43): `<scheme>:rest` becomes
 * `uar+<server>+<scheme>:rest`, one without scheme `uar+<server>+:rest`. `ui://rest` becomes `ui://uar+<server>+rest`, since
 * hosts of MCP Apps know their resources by the scheme.
 */
export function uniqueUri(server: string, uri: string): string {
  if (uri.startsWith(ui)) return `${ui}uar+${server}+${uri.slice(ui.length)}`;
  return scheme.test(uri) ? `uar+${server}+${uri}` : `uar+${server}+:${uri}`;
}

/** What `uniqueUri` made `text` of; undefined where it made it of nothing. */
export function ofUniqueUri(text: string): { readonly server: string; readonly uri: string } | undefined {
  const [, server, rest] = uniqueForm.exec(text) ?? [];
  if (server === undefined || rest === undefined) return undefined;
  const uri = text.startsWith(ui) ? `${ui}${rest}` : rest.replace(/^:/, '');
  return uniqueUri(server, uri) === text ? { server, uri } : undefined;
}

/** The server that a public name is of. `id`: its raw name, unless it looks like one that was changed. */
export function ofPublicName(name: string): { readonly server: string; readonly id?: string } | undefined {
  const at = name.indexOf('__');
  if (at < 1) return undefined;
  const [server, id] = [name.slice(0, at), name.slice(at + 2)];
  if (publicName(server, id) !== name) return undefined;
  return changedName.test(name) ? { server } : { server, id };
}

/** The definition under the name that it has where items of several upstreams meet. */
export function uniqueDefinition(server: string, definition: string, list: ItemListName): string {
  const id = itemId(definition, list);
  if (id === undefined) return definition;
  const name = list === 'prompts' ? publicName(server, id) : uniqueUri(server, id);
  return withMember(definition, itemIdMembers[list], JSON.stringify(name));
}

/** A result of `resources/read` with the URIs of its contents made unique; nothing else of it changes. */
export function uniqueContents(server: string, resultJson: string): string {
  const contents = memberSpans(resultJson, 0).findLast(({ name }) => name === 'contents')?.value;
  if (contents === undefined) return resultJson;
  const pieces: string[] = [];
  let at = 0;
  for (const { start, end } of elementSpans(resultJson, contents.start)) {
    const element = resultJson.slice(start, end);
    const uri = memberString(element, 'uri');
    if (uri === undefined) continue;
    pieces.push(
      resultJson.slice(at, start),
      withMember(element, 'uri', JSON.stringify(uniqueUri(server, uri))),
    );
    at = end;
  }
  return pieces.join('') + resultJson.slice(at);
}

/** May `uri` be an expansion of the template (RFC 6570)? An expression stands for any text: whether it fits is the upstream's to say. */
export function mayExpandTo(template: string, uri: string): boolean {
  const [first = '', ...rest] = template.split(/\{[^{}]*\}/u);
  const last = rest.pop();
  if (last === undefined) return template === uri;
  if (!uri.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = uri.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return uri.length - last.length >= at && uri.endsWith(last);
}
