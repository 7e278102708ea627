import { expect, test } from 'vitest'
import { mirrorCommands } from './mirror-commands.ts'

function quoted(word: string): string {
  return `<${word}>`
}

test.each([
  {
    because: 'a folder is cloned by its path, without credentials',
    repository: { url: 'file:///srv/my%20record.git', needsCredentials: false },
    clone: 'git clone </srv/my record.git>',
    secret: [],
  },
  {
    because: 'an HTTPS server needs a user and a password',
    repository: { url: 'https://git.example.test/a', needsCredentials: true },
    clone: 'git clone <https://git.example.test/a>',
    secret: [expect.stringMatching(/mirror-credentials .*username=USER .*password=FILE$/)],
  },
  {
    because: 'an SSH server needs a key',
    repository: { url: 'git@git.example.test:a', needsCredentials: true },
    clone: 'git clone <git@git.example.test:a>',
    secret: [expect.stringMatching(/ssh-privatekey=FILE .*known_hosts=FILE$/)],
  },
])('$clone: $because', ({ repository, clone, secret }) => {
  const { own, kubectl } = mirrorCommands(repository, 'agentctl', quoted)
  expect(own.map(([command]) => command)).toContain(clone)
  expect(kubectl.map(([command]) => command)).toEqual(secret)
})
