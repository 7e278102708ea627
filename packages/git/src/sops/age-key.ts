import { armor, Decrypter, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import { SopsError } from './sops-error.ts'

/** A new key: `identity` is the secret half. */
export const generateAgeKey = async (): Promise<{ identity: string; recipient: string }> => {
  const identity = await generateIdentity()
  return { identity, recipient: await identityToRecipient(identity) }
}

/** Identities of an age key file: one a line, comments and blank lines apart. */
export const parseIdentities = (text: string): string[] => {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  const identities = lines.filter((line) => line !== '' && !line.startsWith('#'))
  if (identities.length === 0) throw new SopsError('there is no age identity', { code: 'bad-key' })
  for (const identity of identities) addIdentity(new Decrypter(), identity)
  return identities
}

export const recipientOf = async (identity: string): Promise<string> => {
  const recipient = await identityToRecipient(identity).catch(() => undefined)
  return recipient ?? badIdentity()
}

/** Checks recipients and returns them once each, in an order that does not depend on who listed them. */
export const parseRecipients = (recipients: readonly string[]): string[] => {
  const tidy = [...new Set(recipients.map((recipient) => recipient.trim()))].sort()
  if (tidy.length === 0) throw new SopsError('there is no age recipient', { code: 'bad-key' })
  for (const recipient of tidy) addRecipient(new Encrypter(), recipient)
  return tidy
}

/** The data key, readable by this recipient, in the armor that SOPS stores. */
export const wrapKey = async (key: Buffer, recipient: string): Promise<string> => {
  const encrypter = new Encrypter()
  addRecipient(encrypter, recipient)
  return armor.encode(await encrypter.encrypt(key))
}

/** The data key, or undefined when none of the identities opens it. */
export const unwrapKey = async (
  wrapped: string,
  identities: readonly string[],
): Promise<Buffer | undefined> => {
  const decrypter = new Decrypter()
  for (const identity of identities) addIdentity(decrypter, identity)
  try {
    return Buffer.from(await decrypter.decrypt(armor.decode(wrapped)))
  } catch {
    return undefined
  }
}

const addRecipient = (encrypter: Encrypter, recipient: string): void => {
  try {
    encrypter.addRecipient(recipient)
  } catch (cause) {
    throw new SopsError(`${recipient.slice(0, 80)} is no age recipient`, { code: 'bad-key', cause })
  }
}

const addIdentity = (decrypter: Decrypter, identity: string): void => {
  let isGood = true
  try {
    decrypter.addIdentity(identity)
  } catch {
    isGood = false
  }
  if (!isGood) badIdentity()
}

/** Without the library's error as its cause, which may quote the identity. */
const badIdentity = (): never => {
  throw new SopsError('an age identity cannot be read', { code: 'bad-key' })
}
