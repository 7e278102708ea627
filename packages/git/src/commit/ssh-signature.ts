import { createHash } from 'node:crypto'
import { createConnection } from 'node:net'
import { GitError } from '../git-error.ts'
import { SshAgent } from '../git-process/ssh-agent.ts'

/** Signs commits with an SSH key, as `gpg.format = ssh` does. The key is in an agent's memory, nowhere else. */
export class SshSigner {
  /** As in an authorized_keys file, for who wants to verify. */
  readonly publicKey: string
  readonly #agent: SshAgent
  readonly #key: Buffer

  private constructor(agent: SshAgent, key: Buffer) {
    this.#agent = agent
    this.#key = key
    this.publicKey = `${readStrings(key)[0]?.toString('latin1')} ${key.toString('base64')}`
  }

  static async open(options: {
    readonly privateKey: string
    readonly passphrase?: string | undefined
    readonly path: string
  }): Promise<SshSigner> {
    const agent = await SshAgent.start(options)
    try {
      const answer = await ask(agent.socket, Buffer.from([requestIdentities]))
      const key = readStrings(answer.subarray(5))[0]
      if (answer[0] !== identitiesAnswer || key === undefined) {
        throw new GitError('refused', 'the SSH agent did not accept the signing key')
      }
      return new SshSigner(agent, key)
    } catch (error) {
      await agent.close()
      throw error
    }
  }

  /** The armored signature of these bytes, in the name space of Git. */
  async sign(payload: Buffer): Promise<string> {
    const scope = [text('git'), text(''), text('sha512')]
    const digest = string(createHash('sha512').update(payload).digest())
    const message = Buffer.concat([signatureMagic, ...scope, digest])
    const type = readStrings(this.#key)[0]?.toString('latin1')
    const flags = uint32(type === 'ssh-rsa' ? rsaSha512Flag : 0)
    const question = [Buffer.from([signRequest]), string(this.#key), string(message), flags]
    const answer = await ask(this.#agent.socket, Buffer.concat(question))
    const signature = readStrings(answer.subarray(1))[0]
    if (answer[0] !== signResponse || signature === undefined) {
      throw new GitError('failed', 'the commit could not be signed')
    }
    const blob = [signatureMagic, uint32(1), string(this.#key), ...scope, string(signature)]
    return armor(Buffer.concat(blob))
  }

  close(): Promise<void> {
    return this.#agent.close()
  }
}

// The SSH agent protocol's numbers.
const requestIdentities = 11
const identitiesAnswer = 12
const signRequest = 13
const signResponse = 14
const rsaSha512Flag = 4

const signatureMagic = Buffer.from('SSHSIG', 'latin1')

function ask(socket: string, question: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const connection = createConnection(socket)
    const failed = (cause?: Error): void =>
      reject(
        new GitError('failed', 'the SSH agent with the signing key does not respond', { cause }),
      )
    let received = Buffer.alloc(0)
    connection.setTimeout(10_000, () => connection.destroy(new Error('no response within 10 s')))
    connection.once('error', failed)
    connection.once('close', () => failed())
    connection.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      if (received.length < 4 || received.length < 4 + received.readUInt32BE(0)) return
      resolve(received.subarray(4, 4 + received.readUInt32BE(0)))
      connection.destroy()
    })
    connection.write(string(question))
  })
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function string(bytes: Buffer): Buffer {
  return Buffer.concat([uint32(bytes.length), bytes])
}

function text(value: string): Buffer {
  return string(Buffer.from(value, 'utf8'))
}

function readStrings(bytes: Buffer): Buffer[] {
  const found: Buffer[] = []
  let at = 0
  while (at + 4 <= bytes.length) {
    const end = at + 4 + bytes.readUInt32BE(at)
    if (end > bytes.length) break
    found.push(bytes.subarray(at + 4, end))
    at = end
  }
  return found
}

function armor(blob: Buffer): string {
  const lines = blob.toString('base64').match(/.{1,70}/g) ?? []
  return ['-----BEGIN SSH SIGNATURE-----', ...lines, '-----END SSH SIGNATURE-----', ''].join('\n')
}
