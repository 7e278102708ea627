import { type GitError, type GitErrorCode, isGitError } from '@agents/git'
import { redact } from '@agents/log'

/** A Git error in one line: what to do, followed by the message of Git. */
export function explainGitError({ code, message }: GitError): string {
  const gitMessage = oneLine(message)
  const advice = otherHash.test(gitMessage) ? otherHashAdvice : advices[code]
  return advice === undefined ? gitMessage : `${advice}: ${gitMessage}`
}

const advices: Partial<Record<GitErrorCode, string>> = {
  auth: 'authentication failed; correct the Secret named by secretRef of the GitProvider',
  'host-key':
    'the host key of the server does not match known_hosts; if the new key is right, update known_hosts',
  'not-found': 'the repository does not exist at this URL, or the credentials have no access to it',
  rejected: 'a hook or branch rule of the server rejected the push; the operator retries',
  timeout: 'the server did not respond in time; the operator retries',
  unreachable: 'the server cannot be reached; the operator retries',
}

const otherHash = /mismatched algorithms|hash algorithm/
const otherHashAdvice =
  'the repository uses SHA-256 object names, which are not supported; create one with git init --object-format=sha1'

/** Git appends these lines to most errors. */
const always =
  /fatal: could not read from remote repository\.\s*please make sure you have the correct access rights\s*and the repository exists\.|fatal: the remote end hung up unexpectedly/gi

function oneLine(text: string): string {
  const own = text.replace(always, '').trim()
  return (own === '' ? text : own)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('; ')
}

/** The message of any error of a mirror, without secrets. */
export function explainError(error: unknown): string {
  if (isGitError(error)) return explainGitError(error).slice(0, 1000)
  return redact(error instanceof Error ? error.message : String(error)).slice(0, 1000)
}
