import { readdir, readFile, readlink } from 'node:fs/promises'

/** A TCP socket of this machine that accepts connections. */
export interface Listener {
  readonly family: 4 | 6
  /** `127.0.0.1`, `0.0.0.0`, or 32 hexadecimal digits for IPv6. */
  readonly address: string
  readonly port: number
  readonly inode: string
}

const listenState = '0A'
const anyV6 = '0'.repeat(32)
const loopbackV6 = `${'0'.repeat(31)}1`

export async function listenersOn(port: number): Promise<Listener[]> {
  const [v4, v6] = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'latin1').catch(() => '')),
  )
  return [...parseTable(v4 ?? '', 4), ...parseTable(v6 ?? '', 6)].filter((one) => one.port === port)
}

/** Parses a table of /proc/net. */
function parseTable(text: string, family: 4 | 6): Listener[] {
  return text.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
    if (state !== listenState) return []
    const [address = '', port = ''] = local.split(':')
    return [{ family, address: addressOf(address), port: Number.parseInt(port, 16), inode }]
  })
}

/** The kernel prints addresses as 32-bit words in the byte order of the machine. */
function addressOf(hex: string): string {
  const words = hex.match(/.{8}/g) ?? []
  const bytes = words.flatMap((word) => (word.match(/../g) ?? []).toReversed())
  if (words.length !== 1) return bytes.join('').toLowerCase()
  return bytes.map((byte) => Number.parseInt(byte, 16)).join('.')
}

/** Inodes of the sockets that the processes have open. */
export async function socketsOf(pids: Iterable<number>): Promise<Set<string>> {
  const inodes = new Set<string>()
  for (const pid of pids) {
    const names = await readdir(`/proc/${pid}/fd`).catch(() => [])
    for (const name of names) {
      const target = await readlink(`/proc/${pid}/fd/${name}`).catch(() => '')
      const [, inode] = /^socket:\[(\d+)\]$/.exec(target) ?? []
      if (inode !== undefined) inodes.add(inode)
    }
  }
  return inodes
}

/** Addresses at which a connection from this machine can reach the listener. */
export function reachableAt({ family, address }: Listener): string[] {
  if (family === 4) return [address === '0.0.0.0' ? '127.0.0.1' : address]
  if (address === anyV6) return ['::1', '127.0.0.1']
  return [(address.match(/.{4}/g) ?? []).join(':')]
}

/** Whether a connection to the address might be accepted by the listener. */
export function mayAccept({ family, address }: Listener, target: string): boolean {
  // A socket of IPv6 for any address may accept connections of IPv4 as well.
  if (family === 6 && address === anyV6) return true
  if (family === 4) return address === '0.0.0.0' ? !target.includes(':') : address === target
  if (address === loopbackV6 && target === '::1') return true
  // An IPv4 address inside IPv6, such as ::ffff:127.0.0.1.
  if (address.startsWith(`${'0'.repeat(20)}ffff`)) {
    const bytes = address.slice(24).match(/../g) ?? []
    return bytes.map((byte) => Number.parseInt(byte, 16)).join('.') === target
  }
  return (address.match(/.{4}/g) ?? []).join(':') === target
}
