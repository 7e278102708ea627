import { describe, expect, test } from 'vitest'
import { canonicalUrl } from './canonical-url.ts'
import { parseRemoteUrl } from './remote-url.ts'

describe('the same repository, however it is spelled', () => {
  test.each([
    {
      name: 'git.test/team/repo',
      spellings: [
        'https://git.test/team/repo',
        'https://git.test/team/repo.git',
        'https://GIT.test:443/team/repo.git/',
        'https://git.test./team//repo',
        'https://git.test/team/%72epo.git',
        'ssh://git@git.test/team/repo.git',
        'ssh://git@git.test:22/team/repo',
        'git@git.test:team/repo.git',
        'git@git.test:/team/repo.git',
        'other@git.test:team/repo',
      ],
    },
    { name: 'git.test:8443/team/repo', spellings: ['https://git.test:8443/team/repo.git'] },
    {
      name: 'github.com/team/repo',
      spellings: [
        'https://github.com/Team/Repo.git',
        'git@github.com:team/repo',
        'ssh://git@ssh.github.com:443/team/repo.git',
      ],
    },
    {
      name: 'dev.azure.com/org/project/_git/repo',
      spellings: [
        'https://dev.azure.com/Org/Project/_git/Repo',
        'git@ssh.dev.azure.com:v3/org/project/repo',
      ],
    },
    { name: 'file:/srv/repo', spellings: ['file:///srv/repo.git', 'file:///srv//repo/'] },
    { name: '::1:3000/a', spellings: ['http://[::1]:3000/a.git'] },
  ])('$name', ({ name, spellings }) => {
    expect(spellings.map(canonicalUrl)).toEqual(spellings.map(() => name))
  })

  test.each([
    ['https://git.test/team/repo', 'https://git.test/team/Repo'],
    ['https://git.test:8443/team/repo', 'https://git.test/team/repo'],
    ['https://git.test/a/b', 'https://git.test/a-b'],
    ['file:///srv/repo', 'file:///srv/other/repo'],
  ])('%s is not %s', (one, other) => {
    expect(canonicalUrl(one)).not.toBe(canonicalUrl(other))
  })
})

describe('what is refused', () => {
  test.each([
    { because: 'a password would be shown', url: 'https://user:hunter2@git.test/a' },
    { because: 'a token in place of a user too', url: 'https://hunter2@git.test/a' },
    { because: 'other transports run programs', url: 'ext::sh -c hunter2' },
    { because: 'they run them without blanks as well', url: 'ext::hunter2' },
    { because: 'git:// has no identity', url: 'git://git.test/hunter2' },
    { because: 'a host that is an option', url: 'ssh://-oProxyCommand=hunter2/a' },
    { because: 'a short host that is an option', url: '-oProxyCommand=hunter2:a' },
    { because: 'an option', url: '--upload-pack=hunter2' },
    { because: 'a line break', url: 'https://git.test/a\nhunter2' },
    { because: 'no repository', url: 'https://git.test/' },
    { because: 'a query', url: 'https://git.test/a?hunter2' },
    { because: 'a file on another machine', url: 'file://host/hunter2' },
    { because: 'a path is no URL', url: '/srv/hunter2' },
    { because: 'bad encoding', url: 'https://git.test/%zzhunter2' },
  ])('$because, and the message does not quote it', ({ url }) => {
    expect(() => parseRemoteUrl(url)).toThrow(/^(?!.*hunter2)/)
    expect(() => parseRemoteUrl(url)).toThrow(expect.objectContaining({ code: 'refused' }))
  })
})

test('the short form reaches git as it is: its path begins at the home of the user', () => {
  expect(parseRemoteUrl('git@git.test:repo.git')).toMatchObject({
    href: 'git@git.test:repo.git',
    scheme: 'ssh',
    host: 'git.test',
    user: 'git',
  })
})
