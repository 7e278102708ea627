import { bitbucketForge } from './bitbucket/bitbucket-forge.ts'
import type { Forge, ForgeService } from './forge.ts'
import { giteaForge } from './gitea/gitea-forge.ts'
import { githubForge } from './github/github-forge.ts'
import { gitlabForge } from './gitlab/gitlab-forge.ts'
import type { ForgeAccess } from './http/forge-http.ts'

export function openForge(service: ForgeService, access: ForgeAccess): Forge {
  return clients[service](access)
}

const clients: Readonly<Record<ForgeService, (access: ForgeAccess) => Forge>> = {
  github: githubForge,
  gitlab: gitlabForge,
  gitea: giteaForge,
  bitbucket: bitbucketForge,
}
