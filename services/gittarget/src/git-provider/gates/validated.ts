import { pass, stall } from '@agents/controller'
import { canonicalUrl, GitError, isGitError, SshSigner } from '@agents/git'
import { globMatcher } from '@agents/patterns'
import { templateProblem } from '../../mirror/commit/commit-message.ts'
import { type SigningKey, signingKeyFrom } from '../../repository/resolve-connection.ts'
import type { GitProviderPorts, ProviderGate } from '../provider-ports.ts'

/** Whether the URL, the branch patterns, the message template and the signing key are usable. */
export function validated({ reader, path }: GitProviderPorts): ProviderGate<'Validated'> {
  return {
    condition: 'Validated',
    async check({ metadata, spec }, _detail, { signal }) {
      const url = canonical(spec.url)
      if (url instanceof GitError) return stall('URLInvalid', url.message)
      const detail = { canonicalURL: url, signingPublicKey: undefined }
      const malformed = spec.allowedBranches.find((pattern) => !isPattern(pattern))
      if (malformed !== undefined) {
        return stall(
          'BranchPatternInvalid',
          `spec.allowedBranches contains the invalid pattern ${malformed}`,
        )
      }
      const { messageTemplate, signing } = spec.commit
      const problem = messageTemplate === undefined ? undefined : templateProblem(messageTemplate)
      if (problem !== undefined)
        return stall('MessageTemplateInvalid', `spec.commit.messageTemplate is invalid: ${problem}`)
      if (signing === undefined) return pass('OK', 'the spec is valid', { detail })
      const { name } = signing.secretRef
      const secret = await reader.secret({ namespace: metadata.namespace, name }, signal)
      if (secret === undefined) {
        return stall(
          'SigningKeyNotFound',
          `Secret ${name} with the signing key does not exist; create it`,
          { detail },
        )
      }
      const key = signingKeyFrom(secret.values)
      const signingPublicKey = key && (await publicKeyOf(key, path))
      if (signingPublicKey === undefined) {
        const message = `Secret ${name} does not contain a valid SSH private key under ssh-privatekey or identity`
        return stall('SigningKeyMalformed', message, { detail })
      }
      const found = { ...detail, signingPublicKey }
      return pass('OK', 'the spec is valid', { detail: found })
    },
  }
}

function canonical(url: string): string | GitError {
  try {
    return canonicalUrl(url)
  } catch (error) {
    if (isGitError(error)) return error
    throw error
  }
}

function isPattern(pattern: string): boolean {
  try {
    globMatcher(pattern)
    return true
  } catch {
    return false
  }
}

async function publicKeyOf(key: SigningKey, path: string): Promise<string | undefined> {
  try {
    const signer = await SshSigner.open({ ...key, path })
    await signer.close()
    return signer.publicKey
  } catch (error) {
    if (isGitError(error)) return undefined
    throw error
  }
}
