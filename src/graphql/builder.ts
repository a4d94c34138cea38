import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import ScopeAuthPlugin from '@pothos/plugin-scope-auth';
import { Language, OperationMethod, OperationResource } from '../../prisma/generated/client/enums.ts';
import type PrismaTypes from '../../prisma/generated/pothos.ts';
import { getDatamodel } from '../../prisma/generated/pothos.ts';
import { forbidden, hasScope } from '../tenants/index.ts';
import type { Scope } from '../tenants/index.ts';
import { tenantOf, viewerOf } from './context.ts';
import type { Context } from './context.ts';

type SchemaTypes = {
  Context: Context;
  PrismaTypes: PrismaTypes;
  AuthScopes: { scope: Scope };
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    BigInt: { Input: number; Output: number | bigint };
    DateTime: { Input: Date; Output: Date | string };
    FacetKey: { Input: never; Output: string | boolean };
  };
};

/** The builder that every file of this folder adds to. Fields are non-null unless they say so. */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [ScopeAuthPlugin, PrismaPlugin],
  defaultFieldNullability: false,
  scopeAuth: {
    authScopes: (context) => ({
      scope: (scope) => {
        const viewer = viewerOf(context);
        if (!hasScope(viewer, scope)) throw forbidden(viewer, scope);
        return true;
      },
    }),
  },
  prisma: {
    client: (context) => tenantOf(context).prisma,
    dmmf: getDatamodel(),
    exposeDescriptions: false,
    onUnusedQuery: null,
  },
});

builder.queryType({ description: 'Reads.' });
builder.mutationType({ description: 'Writes. Each runs as an operation that can be followed.' });

export const LanguageEnum = builder.enumType(Language, { name: 'Language', description: 'Language of texts.' });
export const OperationMethodEnum = builder.enumType(OperationMethod, {
  name: 'OperationMethod',
  description: 'What an operation does: add, change, delete, or several of these.',
});
export const OperationResourceEnum = builder.enumType(OperationResource, {
  name: 'OperationResource',
  description: 'What an operation is about.',
});
