import {
  membersOf,
  nodeAt,
  pathText,
  stringOf,
  type JsonMember,
  type JsonNode,
} from './json-index.js';

import { filesIn, type FileDigests } from './media-types.js';

/** A value of a JSON text as a view shows it: with the beginning of its text, never with all of it. */
export interface JsonRow {
  /** Without the member of the call. */
  readonly keys: readonly string[];
  readonly kind: JsonNode['kind'];
  readonly depth: number;
  readonly isOpen: boolean;
  /** The text of the payload ends inside the value. */
  readonly isCut: boolean;
  /** The first characters: of a string without quotes and escapes, of anything else as it was sent. */
  readonly text: string;
  readonly isMore: boolean;
  /** Members of this container before the first one that is shown. */
  readonly before: number;
  readonly hasAfter: boolean;
  /** Files that an SDK has stored beside the call. */
  readonly files?: FileDigests;
}

export interface RowsRequest {
  /** Containers down to this depth are open. */
  readonly openDepth: number;
  /** Paths of containers for which the opposite holds. */
  readonly toggled: readonly string[];
  /** The keys of a value that must be visible. */
  readonly selected: readonly string[] | undefined;
}

export interface Found {
  /** Stops at FOUND_MAX. */
  readonly total: number;
  /** Of the wanted one; undefined when nothing was found. */
  readonly keys: readonly string[] | undefined;
}

const MEMBERS_SHOWN = 1000;
const STRING_SHOWN = 600;
const CONTAINER_SHOWN = 120;
const FOUND_MAX = 10_000;
const FILES_MAX_LENGTH = 65_536;

/** A JSON text of which only open containers are scanned. Numbers keep all their digits. */
export class JsonDocument {
  private readonly scanned = new Map<string, readonly JsonMember[]>();
  private found: { readonly query: string; readonly offsets: readonly number[] } | undefined;

  constructor(readonly text: string) {}

  rows({ openDepth, toggled, selected }: RowsRequest): readonly JsonRow[] {
    const root = nodeAt(this.text, 0);
    const rows: JsonRow[] = [];
    const isToggled = new Set(toggled);
    const add = (keys: readonly string[], node: JsonNode): void => {
      const isContainer = node.kind === 'object' || node.kind === 'array';
      const isAbove =
        selected !== undefined &&
        keys.length < selected.length &&
        keys.every((key, i) => key === selected[i]);
      const isOpen =
        isContainer && (keys.length < openDepth || isAbove) !== isToggled.has(pathText(keys));
      const from = isOpen && isAbove ? this.windowOf(node, selected[keys.length]!) : 0;
      const members = isOpen ? this.members(node, from) : [];
      const shown = members.slice(0, MEMBERS_SHOWN);
      const hasAfter = members.length > shown.length;
      rows.push({ ...this.row(keys, node), isOpen, before: from, hasAfter });
      for (const { key, node: inner } of shown) add([...keys, key], inner);
    };
    if (root !== undefined) add([], root);
    return rows;
  }

  /** The characters of a value, at most `max` of them. */
  value(keys: readonly string[], max: number): string {
    const node = this.nodeOf(keys);
    if (node === undefined) return '';
    if (node.kind === 'string') return stringOf(this.text, node, max);
    return this.text.slice(node.start, Math.min(node.end, node.start + max));
  }

  /** The `nth` place of a text, from 0; the search continues at the other end. */
  search(query: string, nth: number): Found {
    if (query === '') return { total: 0, keys: undefined };
    if (this.found?.query !== query) this.found = { query, offsets: this.offsetsOf(query) };
    const { offsets } = this.found;
    const total = offsets.length;
    const offset = total === 0 ? undefined : offsets[((nth % total) + total) % total];
    return { total, keys: offset === undefined ? undefined : this.keysAt(offset) };
  }

  private offsetsOf(query: string): readonly number[] {
    const escaped = JSON.stringify(query).slice(1, -1);
    const pattern = new RegExp(escaped.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi');
    const offsets: number[] = [];
    for (let hit = pattern.exec(this.text); hit !== null; hit = pattern.exec(this.text)) {
      offsets.push(hit.index);
      if (offsets.length === FOUND_MAX) break;
    }
    return offsets;
  }

  /** The innermost value whose key or text has the character. */
  private keysAt(offset: number): readonly string[] {
    const keys: string[] = [];
    let node = nodeAt(this.text, 0);
    while (node !== undefined && (node.kind === 'object' || node.kind === 'array')) {
      const member: JsonMember | undefined = this.members(node, 0, Infinity).find(
        (one) => one.node.end > offset,
      );
      if (member === undefined) break;
      keys.push(member.key);
      if (member.node.start > offset) break;
      node = member.node;
    }
    return keys;
  }

  private nodeOf(keys: readonly string[]): JsonNode | undefined {
    return keys.reduce<JsonNode | undefined>(
      (node, key) =>
        node && this.members(node, 0, Infinity).findLast((member) => member.key === key)?.node,
      nodeAt(this.text, 0),
    );
  }

  /** Where the part of the members that has this key begins. */
  private windowOf(node: JsonNode, key: string): number {
    const place = this.members(node, 0, Infinity).findIndex((member) => member.key === key);
    return Math.max(0, Math.floor(place / MEMBERS_SHOWN) * MEMBERS_SHOWN);
  }

  /** One more than is shown, to know whether there are more. */
  private members(node: JsonNode, from: number, max = MEMBERS_SHOWN + 1): readonly JsonMember[] {
    const key = `${node.start} ${from} ${max}`;
    const known = this.scanned.get(key) ?? membersOf(this.text, node, max, from);
    this.scanned.set(key, known);
    return known;
  }

  private row(
    keys: readonly string[],
    node: JsonNode,
  ): Omit<JsonRow, 'isOpen' | 'before' | 'hasAfter'> {
    const isContainer = node.kind === 'object' || node.kind === 'array';
    const max = isContainer ? CONTAINER_SHOWN : STRING_SHOWN;
    const text =
      node.kind === 'string'
        ? stringOf(this.text, node, max)
        : this.text.slice(node.start, Math.min(node.end, node.start + max));
    const files = node.kind === 'object' ? this.filesOf(node) : undefined;
    return {
      keys,
      kind: node.kind,
      depth: keys.length,
      isCut: node.isCut,
      text,
      isMore: node.end - node.start > max,
      ...(files && { files }),
    };
  }

  private filesOf({ start, end, isCut }: JsonNode): FileDigests | undefined {
    if (isCut || end - start > FILES_MAX_LENGTH) return undefined;
    const text = this.text.slice(start, end);
    if (!/^\{\s*"_type"\s*:\s*"CustomWeaveType"/.test(text)) return undefined;
    return filesIn(JSON.parse(text));
  }
}
