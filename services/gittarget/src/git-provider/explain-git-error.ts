import type { GitError, GitErrorCode } from '@agents/git'

/** A failure in words that say what to do, in one line, followed by what Git said. */
export const explainGitError = ({ code, message }: GitError): string => {
  const said = oneLine(message)
  const advice = OTHER_HASH.test(said) ? OTHER_HASH_ADVICE : advices[code]
  return advice === undefined ? said : `${advice}: ${said}`
}

const advices: Partial<Record<GitErrorCode, string>> = {
  auth: 'signing in failed; correct the Secret that secretRef of the GitProvider names',
  'host-key':
    'the server shows another host key than known_hosts has for it; correct known_hosts, if the key is right',
  'not-found': 'there is no repository at this URL, or these credentials may not see it',
  rejected: 'a hook or a rule of the server forbids it, and it is tried again',
  timeout: 'the server does not answer in time, and is tried again',
  unreachable: 'the server cannot be reached, and is tried again',
}

const OTHER_HASH = /mismatched algorithms|hash algorithm/
const OTHER_HASH_ADVICE =
  'the repository names its objects by SHA-256, which is not supported; make one with git init --object-format=sha1'

/** Git repeats at the end what it always says. */
const ALWAYS =
  /\s*fatal: could not read from remote repository\.\s*please make sure you have the correct access rights\s*and the repository exists\.|\s*fatal: the remote end hung up unexpectedly/gi

const oneLine = (text: string): string => {
  const own = text.replace(ALWAYS, '').trim()
  return (own === '' ? text : own).trim().replace(/\s*\n\s*/g, '; ')
}
