/** Writes small databases in MaxMind's format 2.0: a binary tree over address bits, with leaves that point to maps. */

type Value = string | number | { readonly [key: string]: Value } | readonly Value[];

export interface Network {
  /** Bits from the top of the address; IPv4 is the last 32 of `::`. */
  readonly bits: string;
  readonly data: Value;
}

/** `1.2.3.0/24` or `2001:db8::/32` as the bits of its prefix in an IPv6 tree. */
export function network(cidr: string, data: Value): Network {
  const [address = '', length = ''] = cidr.split('/');
  if (!address.includes(':')) {
    const bits = address.split('.').map((part) => Number(part).toString(2).padStart(8, '0')).join(''); // prettier-ignore
    return { bits: '0'.repeat(96) + bits.slice(0, Number(length)), data };
  }
  const [head = '', tail = ''] = address.split('::');
  const front = head.split(':').filter((part) => part !== '');
  const back = tail.split(':').filter((part) => part !== '');
  const parts = [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back];
  const bits = parts.map((part) => Number.parseInt(part, 16).toString(2).padStart(16, '0')).join('');
  return { bits: bits.slice(0, Number(length)), data };
}

/** The bytes of a database of IPv6 (and thus IPv4) networks that do not overlap. */
export function mmdb(networks: readonly Network[]): Buffer {
  const nodes: [Edge, Edge][] = [[null, null]];
  const data: Buffer[] = [];
  let size = 0;
  for (const { bits, data: value } of networks) {
    const encoded = encode(value);
    insert(nodes, bits, { offset: size });
    data.push(encoded);
    size += encoded.length;
  }
  const tree = Buffer.alloc(nodes.length * 6); // two 24-bit records per node
  nodes.forEach(([left, right], i) => {
    tree.writeUIntBE(record(left, nodes.length), i * 6, 3);
    tree.writeUIntBE(record(right, nodes.length), i * 6 + 3, 3);
  });
  const metadata = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: 'Test-City',
    description: { en: 'for tests' },
    ip_version: 6,
    languages: ['en'],
    node_count: nodes.length,
    record_size: 24,
  };
  return Buffer.concat([
    tree,
    Buffer.alloc(16),
    ...data,
    Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1'),
    encode(metadata),
  ]);
}

type Edge = null | { readonly node: number } | { readonly offset: number };

function insert(nodes: [Edge, Edge][], bits: string, leaf: Edge): void {
  let at = 0;
  for (let depth = 0; depth < bits.length; depth++) {
    const node = nodes[at]!;
    const side = bits[depth] === '1' ? 1 : 0;
    if (depth === bits.length - 1) {
      node[side] = leaf;
      return;
    }
    let edge = node[side];
    if (edge === null || !('node' in edge)) {
      edge = { node: nodes.push([null, null]) - 1 };
      node[side] = edge;
    }
    at = edge.node;
  }
}

function record(edge: Edge, nodes: number): number {
  if (edge === null) return nodes; // no data
  return 'node' in edge ? edge.node : nodes + 16 + edge.offset;
}

const MAP = 7;
const UINT32 = 6;
const TEXT = 2;
const DOUBLE = 3;
const ARRAY = 11;

function encode(value: Value): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([control(TEXT, text.length), text]);
  }
  if (typeof value === 'number') return encodeNumber(value);
  if (isList(value)) return Buffer.concat([control(ARRAY, value.length), ...value.map(encode)]);
  const members = Object.entries(value);
  return Buffer.concat([
    control(MAP, members.length),
    ...members.flatMap(([key, member]) => [encode(key), encode(member)]),
  ]);
}

const isList = (value: object): value is readonly Value[] => Array.isArray(value);

function encodeNumber(value: number): Buffer {
  const bytes = Buffer.alloc(Number.isInteger(value) && value >= 0 ? 4 : 8);
  if (bytes.length === 4) bytes.writeUInt32BE(value);
  else bytes.writeDoubleBE(value);
  return Buffer.concat([control(bytes.length === 4 ? UINT32 : DOUBLE, bytes.length), bytes]);
}

/** Type in the top three bits (0: in the next byte, minus 7), size in the others, up to 28 + 255. */
function control(type: number, size: number): Buffer {
  const extended = type > 7;
  const first = ((extended ? 0 : type) << 5) | Math.min(size, 29);
  return Buffer.from([first, ...(extended ? [type - 7] : []), ...(size >= 29 ? [size - 29] : [])]);
}
