import type { Story } from '../story.ts'
import { applyClientSide, applyMigration, applyServerSide, customResources } from './apply.ts'
import { access, discovering, nodes } from './ask.ts'
import { editing, labelling, patching, scaling } from './change.ts'
import { createAccess, createNetwork, createSimple, createTls, createWorkloads } from './create.ts'
import { deleting, followingLogs, getting, logging, waiting, watching } from './look.ts'

export const stories: readonly Story[] = [
  createSimple,
  createTls,
  createAccess,
  createWorkloads,
  createNetwork,
  applyClientSide,
  applyServerSide,
  applyMigration,
  customResources,
  patching,
  labelling,
  editing,
  scaling,
  getting,
  watching,
  waiting,
  deleting,
  logging,
  followingLogs,
  discovering,
  access,
  nodes,
]
