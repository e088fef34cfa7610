"""Runs the calls of a script with the Python SDK. Reads {transport, url, headers, command, args, env, mode, calls} from
standard input; prints one JSON result or error for each call."""

import asyncio
import json
import sys

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client


def plain(result):
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


async def answer(client, call):
    name, args = call.get("name"), call.get("args", {})
    try:
        match call["kind"]:
            case "tools":
                return plain(await client.list_tools())
            case "call":
                return plain(await client.call_tool(name, args))
            case "prompts":
                return plain(await client.list_prompts())
            case "prompt":
                return plain(await client.get_prompt(name, args))
            case "templates":
                return plain(await client.list_resource_templates())
            case "read":
                return plain(await client.read_resource(name))
    except MCPError as error:
        return {"failed": {"code": error.error.code, "message": error.error.message}}


async def run(given):
    if given["transport"] == "stdio":
        parameters = StdioServerParameters(command=given["command"], args=given["args"], env=given["env"])
        transport = stdio_client(parameters)
    elif given["transport"] == "sse":
        transport = sse_client(given["url"], headers=given["headers"])
    else:
        http = httpx2.AsyncClient(headers=given["headers"], timeout=60)
        transport = streamable_http_client(given["url"], http_client=http)
    async with Client(transport, mode=given["mode"]) as client:
        results = [await answer(client, call) for call in given["calls"]]
        print(json.dumps({"revision": client.protocol_version, "results": results}))


asyncio.run(run(json.load(sys.stdin)))
