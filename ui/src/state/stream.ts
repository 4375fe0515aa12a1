// A stream whose pieces may be lost, come twice or come out of order, each with its place: the text adds up.

export interface Stream {
  readonly text: string;
  /** Its length in bytes of UTF-8: places are counted in these. */
  readonly bytes: number;
  /** Pieces beyond a gap, until it is filled. */
  readonly ahead: readonly Piece[];
}

interface Piece {
  readonly offset: number;
  readonly text: string;
}

export const EMPTY: Stream = { text: "", bytes: 0, ahead: [] };

/** More pieces than this beyond one gap are not kept: the whole answer comes anyway. */
const MAX_AHEAD = 512;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function add(stream: Stream, piece: Piece): Stream {
  if (piece.offset > stream.bytes) {
    const ahead = [...stream.ahead, piece].slice(-MAX_AHEAD);
    return { ...stream, ahead };
  }
  const joined = join(stream, piece);
  if (joined === stream || stream.ahead.length === 0) return joined;
  // The gap may be filled now; whatever is still ahead goes back to waiting.
  const ahead = [...stream.ahead].sort((a, b) => a.offset - b.offset);
  return ahead.reduce(add, { ...joined, ahead: [] });
}

function join(stream: Stream, piece: Piece): Stream {
  const known = stream.bytes - piece.offset;
  if (known === 0) {
    return { ...stream, text: stream.text + piece.text, bytes: stream.bytes + length(piece.text) };
  }
  const bytes = encoder.encode(piece.text);
  if (bytes.length <= known) return stream;
  const text = stream.text + decoder.decode(bytes.subarray(known));
  return { ...stream, text, bytes: piece.offset + bytes.length };
}

function length(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Half of a pair is two of the pair's four bytes.
    bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : unit >= 0xd800 && unit < 0xe000 ? 2 : 3;
  }
  return bytes;
}
