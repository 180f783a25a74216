-- Links between pages of the tree become links between pages of the site.
-- Metadata: page, this page's file from the root; list, where source files linked to are written.
local page, list

local function normalized(path)
  local parts = {}
  for part in path:gmatch("[^/]+") do
    if part == ".." then
      table.remove(parts)
    elseif part ~= "." then
      table.insert(parts, part)
    end
  end
  return table.concat(parts, "/")
end

local function exists(path)
  local file = io.open(path)
  if file == nil then return false end
  local is_file = file:read(0) ~= nil or file:seek("end") == 0
  file:close()
  return is_file
end

-- Where a file's page goes, from the site's root.
local function page_path(file)
  if file == "README.md" then return "index.html" end
  if file:match("README%.md$") then return (file:gsub("README%.md$", "index.html")) end
  if file:match("%.md$") then return (file:gsub("%.md$", ".html")) end
  if file:match("%.svg$") then return file end
  return "source/" .. file .. ".html"
end

-- The way from the page of `page` to the site's root.
local function up()
  return (page_path(page):gsub("[^/]*/", "../"):gsub("[^/]*$", ""))
end

local function link(element)
  local target, anchor = element.target:match("^([^#]*)(#?.*)$")
  if target == "" or target:match("://") then return nil end
  local folder = page:match("^(.*/)") or ""
  local file = normalized(folder .. target)
  if not exists(file) then return nil end
  if not file:match("%.md$") and not file:match("%.svg$") then
    local out = assert(io.open(list, "a"))
    out:write(file, "\n")
    out:close()
  end
  element.target = up() .. page_path(file) .. anchor
  return element
end

return {
  {Meta = function(meta)
    page = pandoc.utils.stringify(meta.page)
    list = pandoc.utils.stringify(meta.list)
  end},
  {Link = link},
}
