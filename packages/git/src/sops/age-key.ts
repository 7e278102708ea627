import type { Decrypter, Encrypter } from 'age-encryption'
import { SopsError } from './sops-error.ts'

/** Loaded on first use: it takes 17 MiB and 90 ms, and a program that only starts git does not need it. */
function loadAge() {
  return import('age-encryption')
}

/** A new key: `identity` is the secret half. */
export async function generateAgeKey(): Promise<{ identity: string; recipient: string }> {
  const { generateIdentity, identityToRecipient } = await loadAge()
  const identity = await generateIdentity()
  return { identity, recipient: await identityToRecipient(identity) }
}

/** The identities of an age key file, which has one per line beside comments and blank lines. */
export async function parseIdentities(text: string): Promise<string[]> {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  const identities = lines.filter((line) => line !== '' && !line.startsWith('#'))
  if (identities.length === 0)
    throw new SopsError('the text contains no age identity', { code: 'bad-key' })
  const { Decrypter } = await loadAge()
  for (const identity of identities) addIdentity(new Decrypter(), identity)
  return identities
}

export async function recipientOf(identity: string): Promise<string> {
  const { identityToRecipient } = await loadAge()
  const recipient = await identityToRecipient(identity).catch(() => undefined)
  return recipient ?? badIdentity()
}

/** Checks recipients and returns each of them once, sorted. */
export async function parseRecipients(recipients: readonly string[]): Promise<string[]> {
  const tidy = sortedRecipients(recipients)
  if (tidy.length === 0) throw new SopsError('no age recipient is given', { code: 'bad-key' })
  const { Encrypter } = await loadAge()
  for (const recipient of tidy) addRecipient(new Encrypter(), recipient)
  return tidy
}

/** Each recipient once, in an order that does not depend on how they were listed. */
export function sortedRecipients(recipients: readonly string[]): string[] {
  return [...new Set(recipients.map((recipient) => recipient.trim()))].sort()
}

/** The data key, readable by this recipient, in the armor that SOPS stores. */
export async function wrapKey(key: Buffer, recipient: string): Promise<string> {
  const { armor, Encrypter } = await loadAge()
  const encrypter = new Encrypter()
  addRecipient(encrypter, recipient)
  return armor.encode(await encrypter.encrypt(key))
}

/** The data key, or undefined when none of the identities opens it. */
export async function unwrapKey(
  wrapped: string,
  identities: readonly string[],
): Promise<Buffer | undefined> {
  const { armor, Decrypter } = await loadAge()
  const decrypter = new Decrypter()
  for (const identity of identities) addIdentity(decrypter, identity)
  try {
    return Buffer.from(await decrypter.decrypt(armor.decode(wrapped)))
  } catch {
    return undefined
  }
}

function addRecipient(encrypter: Encrypter, recipient: string): void {
  try {
    encrypter.addRecipient(recipient)
  } catch (cause) {
    throw new SopsError(`${recipient.slice(0, 80)} is not a valid age recipient`, {
      code: 'bad-key',
      cause,
    })
  }
}

function addIdentity(decrypter: Decrypter, identity: string): void {
  let isGood = true
  try {
    decrypter.addIdentity(identity)
  } catch {
    isGood = false
  }
  if (!isGood) badIdentity()
}

/** Without the library's error as its cause, which may quote the identity. */
function badIdentity(): never {
  throw new SopsError('an age identity is not valid', { code: 'bad-key' })
}
