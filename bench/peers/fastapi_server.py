"""The same questions by FastAPI and asyncpg. Arguments: the URL of the database, the key, the tenant, a JSON of statements."""

import json
import socket
import sys
from contextlib import asynccontextmanager

import asyncpg
import uvicorn
from fastapi import FastAPI, Header, HTTPException

url, key, tenant, statements = sys.argv[1], sys.argv[2], int(sys.argv[3]), json.loads(sys.argv[4])


@asynccontextmanager
async def lifespan(app):
    app.state.pool = await asyncpg.create_pool(url, min_size=20, max_size=20)
    yield
    await app.state.pool.close()


app = FastAPI(lifespan=lifespan)


def route(name):
    @app.get(f"/{name}")
    async def answer(v: str, api_key: str = Header()):
        if api_key != key:
            raise HTTPException(401)
        rows = await app.state.pool.fetch(statements[name], tenant, v)
        return dict(rows[0]) if name == "count" else {"results": [dict(row) for row in rows]}


for each in statements:
    route(each)

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
